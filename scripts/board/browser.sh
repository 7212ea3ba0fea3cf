# What drives the board in a browser, for those that have a folder $folder: `with_browser COMMAND…` brings a browser and what drives
# it while the command runs, and sets what the modules here read.

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

# Brings a browser, where there is none (Debian), and what drives it; once begun it is finished, so that nothing is installed by half.
install() {
    trap '' TERM
    if [[ -z ${CHROMIUM-} ]] && ! browser > /dev/null; then
        apt-get update --quiet=2
        apt-get install --yes --quiet=2 chromium > /dev/null
    fi
    cd "$folder"
    npm install --silent --no-audit --no-fund
}

with_browser() {
    cp scripts/board/package.json scripts/board/*.mjs "$folder"
    install &
    local installing=$!
    "$@"
    wait "$installing"
    CHROMIUM=$(tool "${CHROMIUM:-$(browser)}")
    export CHROMIUM GIPF=$gipf EXAMPLE=$PWD/tests/data/official_example.txt FOLDER=$folder/work
    mkdir -p "$FOLDER"
}
