//! The seven rule sets of sections 2 and 7, and what can be set before a game.

/// Which game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Game {
    /// Basic pieces only.
    Basic,
    /// Three GIPF-pieces each from the start.
    Standard,
    /// GIPF-pieces are brought in.
    Tournament,
    /// The rules of the German page.
    PushOff,
}

/// A rule set: a game, with or without ZÈRTZ-potentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSet {
    /// Which game is played.
    pub game: Game,
    /// Whether potentials are added to it.
    pub zertz: bool,
}

impl RuleSet {
    /// Returns the rule set with this name, such as "tournament+zertz".
    pub fn named(name: &str) -> Option<Self> {
        let (game, zertz) = match name.strip_suffix("+zertz") {
            Some(game) => (game, true),
            None => (name, false),
        };
        let game = match game {
            "basic" => Game::Basic,
            "standard" => Game::Standard,
            "tournament" => Game::Tournament,
            "push-off" if !zertz => Game::PushOff,
            _ => return None,
        };
        Some(Self { game, zertz })
    }

    /// Returns the name of the rule set.
    pub fn name(self) -> String {
        let game = match self.game {
            Game::Basic => "basic",
            Game::Standard => "standard",
            Game::Tournament => "tournament",
            Game::PushOff => "push-off",
        };
        format!("{game}{}", if self.zertz { "+zertz" } else { "" })
    }

    /// Returns whether a player without a GIPF-piece on the board has lost.
    pub fn needs_gipfs(self) -> bool {
        self.game != Game::Basic
    }

    /// Returns the board field of the start and the reserve of each player.
    pub fn start(self) -> (&'static str, i32) {
        match self.game {
            Game::Basic => ("s2S/5/6/S5s/6/5/s2S", 12),
            Game::Standard => ("g2G/5/6/G5g/6/5/g2G", 12),
            Game::Tournament => ("4/5/6/7/6/5/4", 18),
            Game::PushOff => ("g2G/5/6/G5g/6/5/g2G", 18),
        }
    }
}

/// What can be set before a game.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The rule set.
    pub rules: RuleSet,
    /// The reserves of White and Black: in basic 12 to 15, a handicap.
    pub reserves: [i32; 2],
    /// The number of potentials of each player.
    pub potentials: i32,
    /// The placement limit, in placements.
    pub placement_limit: Option<i32>,
}

impl Settings {
    /// Returns the settings that the rules prescribe by default.
    pub fn of(rules: RuleSet) -> Self {
        let (_, reserve) = rules.start();
        let limit = (rules.game == Game::PushOff).then_some(400);
        Self { rules, reserves: [reserve; 2], potentials: if rules.zertz { 3 } else { 0 }, placement_limit: limit }
    }
}
