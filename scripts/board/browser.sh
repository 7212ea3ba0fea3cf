# Drives the board in a browser, for scripts that have a folder $folder: `with_browser COMMAND…` installs a browser and
# its driver while the command runs, and sets the variables that the modules here read.

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

# Installs a browser, if there is none (Debian), and its driver; once begun it runs to its end, so that nothing is half
# installed.
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
