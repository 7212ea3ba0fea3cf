//! Which test shows which sentence of the rules (sections 2 to 7); notation has tests of its own.
//!
//! A sentence is named by its gist. The tests of the FAQ bear the numbers of its entries instead.

use std::fs;
use std::path::Path;

/// Section, gist of the sentence, file (from `tests/src`, or from the root if it has folders) and test.
const SENTENCES: &[(u8, &str, &str, &str)] = &[
    (2, "basic: singles on the corners, 12 in reserve", "rules_sets", "basic_starts_with_singles_on_the_corners"),
    (2, "basic: a handicap of 12 to 15", "rules_sets", "only_basic_has_a_handicap"),
    (
        2,
        "standard: GIPFs on the corners",
        "rules_sets",
        "standard_starts_with_gipf_pieces_on_the_corners_and_none_can_be_added",
    ),
    (2, "tournament: empty board, 18 in reserve", "rules_sets", "tournament_starts_with_an_empty_board"),
    (2, "+zertz is added to any of the three", "rules_sets", "potentials_are_added_to_the_same_starts"),
    (2, "who has no GIPF left loses", "rules_sets", "no_gipf_piece_left_loses_in_every_rule_set_that_has_them"),
    (2, "a GIPF costs two and gives two back", "rules_turns", "a_gipf_piece_needs_two_pieces_in_reserve"),
    (2, "material is constant", "laws", "positions_stay_valid_and_material_is_never_gained"),
    (2, "push-off: reserve and singles are 18", "rules_push_off", "nothing_is_lost_and_few_actions_are_used"),
    (3, "a push moves up to the first vacant spot", "rules_turns", "a_push_moves_pieces_up_to_the_first_vacant_spot"),
    (3, "a full line cannot be entered, nothing ends on a dot", "rules_turns", "a_full_line_cannot_be_entered"),
    (3, "one placement a turn, no passing", "rules_sets", "every_turn_has_one_placement_and_nobody_passes"),
    (3, "rows of the opponent are his", "rules_removal", "rows_of_the_opponent_are_his_to_remove_before_his_move"),
    (3, "who made the situation goes first", "rules_removal", "the_player_who_made_the_rows_removes_first"),
    (3, "one entry per vacant spot", "rules_turns", "one_entry_stands_for_all_onto_a_vacant_spot"),
    (3, "65 + e and 107 + e likewise", "rules_sets", "the_same_entries_are_legal_for_every_kind_of_piece"),
    (
        3,
        "other pushes to equal positions stay separate",
        "rules_turns",
        "other_pushes_to_equal_positions_stay_separate",
    ),
    (3, "30 or 18 first moves", "perft", "sequences_of_decisions_are_as_many_as_the_rules_say"),
    (3, "the first piece is a GIPF", "rules_turns", "the_first_piece_of_the_tournament_is_a_gipf_piece"),
    (3, "GIPFs until the first single", "rules_turns", "gipf_pieces_are_brought_in_until_the_first_single"),
    (
        3,
        "no upper limit, removal changes nothing",
        "rules_turns",
        "the_right_to_bring_in_gipf_pieces_has_no_upper_limit_and_survives_their_removal",
    ),
    (
        4,
        "a row is four or more of one colour",
        "env/src/rules/rows",
        "every_run_of_four_is_found_on_its_line_and_covers_the_middle",
    ),
    (4, "every kind of piece counts as one", "rules_zertz", "every_kind_of_piece_counts_for_a_row"),
    (
        4,
        "the capture set ends at the first gaps",
        "rules_removal",
        "pieces_contiguous_with_a_row_go_up_to_the_first_gap",
    ),
    (
        4,
        "GIPFs go or stay as the remover decides",
        "rules_removal",
        "gipf_pieces_of_either_colour_go_or_stay_as_the_remover_decides",
    ),
    (4, "a row that lost one of its four is gone", "rules_removal", "a_row_that_has_lost_one_of_its_four_is_gone"),
    (
        4,
        "a set that lost its connection is shorter",
        "rules_removal",
        "a_capture_set_that_lost_its_connection_is_shorter",
    ),
    (
        4,
        "a row of GIPFs may be left, once per phase",
        "rules_removal",
        "a_row_of_gipf_pieces_left_standing_is_offered_again",
    ),
    (
        4,
        "a basic piece that touches it must go",
        "rules_removal",
        "a_basic_piece_that_touches_a_row_of_gipf_pieces_must_go",
    ),
    (4, "a crossing GIPF taken", "rules_removal", "a_crossing_gipf_that_is_taken_ends_the_other_row"),
    (4, "a crossing GIPF spared", "rules_removal", "a_crossing_gipf_that_is_spared_leaves_the_other_row_to_be_taken"),
    (
        5,
        "the opponent's loss is decided at once",
        "rules_ends",
        "taking_the_last_gipf_of_the_opponent_ends_the_game_at_once",
    ),
    (
        5,
        "the remover's own loss at the end of phase pre",
        "rules_ends",
        "taking_ones_own_last_gipf_loses_when_the_phase_ends",
    ),
    (5, "and of phase post", "rules_ends", "taking_ones_own_last_gipf_loses_after_the_move_as_well"),
    (5, "who removes both last GIPFs wins", "rules_ends", "who_removes_both_last_gipf_pieces_wins"),
    (5, "only once the first was brought in", "rules_ends", "who_has_not_entered_yet_has_lost_nothing"),
    (5, "no piece to bring in: at the own turn", "rules_ends", "who_cannot_bring_in_a_piece_loses_at_his_own_turn"),
    (5, "after removals that refill the reserve", "rules_ends", "a_row_may_refill_the_reserve_before_the_move"),
    (5, "the third occurrence", "rules_draws", "the_third_occurrence_of_a_position_is_a_draw"),
    (5, "in every rule set", "rules_sets", "the_third_occurrence_voids_the_game_in_every_rule_set"),
    (5, "board, side, reserves", "rules_draws", "a_position_with_another_side_or_reserve_is_another_position"),
    (5, "and entry rights", "rules_draws", "a_position_with_other_rights_is_another_position"),
    (
        5,
        "a match replays the game",
        "referee",
        "faq_07_a_game_void_by_repetition_is_replayed_with_colours_and_clocks_exchanged",
    ),
    (5, "no limit in play, 400 in training", "rules_sets", "only_training_and_push_off_have_a_limit_by_default"),
    (
        5,
        "the limit comes after the removals",
        "rules_draws",
        "the_limit_cuts_the_game_off_after_the_removals_of_the_last_turn",
    ),
    (5, "in every rule set", "rules_sets", "the_limit_waits_for_the_removals_in_every_rule_set"),
    (5, "a result goes before the limit", "rules_draws", "a_result_in_the_last_turn_goes_before_the_limit"),
    (
        5,
        "the limit comes before the next phase pre",
        "rules_draws",
        "the_limit_goes_before_the_next_player_cannot_move",
    ),
    (5, "jumps count", "rules_draws", "jumps_count_as_placements"),
    (5, "passes do not", "rules_push_off", "who_has_no_piece_in_reserve_passes_unasked"),
    (5, "rewards, terminated and truncated", "environment", "a_step_shows_what_the_rules_say"),
    (6, "a forced removal is not asked", "rules_removal", "a_forced_removal_is_not_asked"),
    (
        6,
        "a placement is asked, even if only one is legal",
        "rules_turns",
        "a_potential_in_hand_needs_a_piece_in_reserve",
    ),
    (6, "the index table", "env/src/action", "indices_are_those_of_the_rules_and_invert"),
    (6, "the sizes", "rules_sets", "the_action_spaces_have_the_sizes_of_the_table"),
    (6, "rows apart are opened unasked", "rules_removal", "rows_apart_are_opened_unasked_the_lowest_line_first"),
    (6, "questions follow the line", "rules_removal", "questions_follow_the_line_from_its_first_dot"),
    (
        6,
        "only a placement can have a single action",
        "rules_removal",
        "only_a_placement_can_have_a_single_legal_action",
    ),
    (
        6,
        "the player to move decides, but for 63 and 64",
        "rules_push_off_rows",
        "only_keep_and_take_can_belong_to_the_other_player",
    ),
    (6, "symmetries", "laws", "symmetries_commute_with_play"),
    (
        6,
        "six of them exchange the colours",
        "laws",
        "the_six_symmetries_that_exchange_the_starting_colours_fix_the_start",
    ),
    (6, "what an observation shows", "observation", "what_is_legal_can_be_seen"),
    (7, "a loaded piece enters by a push", "rules_zertz", "a_loaded_piece_is_brought_in_by_an_ordinary_push"),
    (7, "the order of entry", "rules_turns", "loaded_pieces_come_after_gipf_pieces_and_before_singles"),
    (7, "pieces of the start do not count for it", "rules_turns", "pieces_of_the_start_do_not_end_a_right"),
    (7, "a loaded piece is pushed and captured", "rules_zertz", "a_loaded_piece_is_pushed_with_its_potential"),
    (7, "it may be spared", "rules_turns", "a_loaded_piece_may_be_spared_or_goes_as_a_whole"),
    (7, "a jump", "rules_turns", "a_jump_goes_over_contiguous_pieces_onto_the_first_vacant_spot"),
    (7, "with one's own pieces", "rules_zertz", "nobody_jumps_with_a_piece_of_the_other_player"),
    (7, "a jump costs nothing", "rules_turns", "a_jump_costs_nothing"),
    (7, "rows after a jump", "rules_zertz", "rows_are_handled_after_a_jump"),
    (7, "a used potential counts and goes", "rules_turns", "a_used_potential_counts_for_rows_and_goes_out_of_the_game"),
    (7, "it has no powers", "rules_zertz", "a_used_potential_does_not_jump_again"),
    (7, "who can jump needs no reserve", "rules_ends", "who_can_jump_needs_no_reserve"),
    (7, "push-off: the start", "rules_push_off", "push_off_starts_as_standard_with_18_pieces_in_reserve"),
    (7, "every piece moves, gaps or not", "rules_push_off", "every_piece_on_the_line_moves_one_step"),
    (7, "who is pushed off returns", "rules_push_off", "a_basic_piece_on_the_far_spot_returns_to_its_owner"),
    (7, "no GIPF is pushed off", "rules_push_off", "no_gipf_piece_is_pushed_off"),
    (
        7,
        "the same move on vacant lines only",
        "rules_push_off",
        "entries_onto_a_vacant_spot_are_the_same_move_only_on_vacant_lines",
    ),
    (7, "without a legal push: never", "rules_push_off", "whoever_has_a_piece_has_a_push"),
    (7, "the order of evaluation", "rules_push_off_rows", "rows_are_evaluated_movers_colour_first_then_by_line"),
    (
        7,
        "rows are fixed, what is left is evaluated",
        "rules_push_off_rows",
        "of_a_row_that_crosses_a_taken_one_what_is_left_is_evaluated",
    ),
    (
        7,
        "basic pieces return, no capture set",
        "rules_push_off_rows",
        "the_basic_pieces_of_a_row_return_to_their_owner",
    ),
    (
        7,
        "the mover decides about the ends",
        "rules_push_off_rows",
        "the_mover_decides_once_about_the_opposing_pieces_at_both_ends",
    ),
    (
        7,
        "beside a row of the other player too",
        "rules_push_off_rows",
        "the_mover_decides_about_his_own_pieces_beside_a_row_of_the_other_player",
    ),
    (7, "a GIPF stops the count", "rules_push_off_rows", "a_gipf_piece_stops_the_count_of_pieces_at_an_end"),
    (
        7,
        "the ends are those of the row as fixed",
        "rules_push_off_rows",
        "the_ends_are_those_of_the_row_as_it_was_fixed",
    ),
    (
        7,
        "the owner decides about GIPFs, out of the game",
        "rules_push_off_rows",
        "the_owner_decides_about_the_gipf_pieces_of_his_row_in_order",
    ),
    (
        7,
        "in the mover's turn",
        "rules_push_off_rows",
        "the_other_player_decides_about_his_gipf_pieces_within_the_movers_turn",
    ),
    (
        7,
        "one kept is asked about again",
        "rules_push_off_rows",
        "a_gipf_piece_kept_in_one_row_is_asked_about_again_in_the_next",
    ),
    (7, "no phase pre", "rules_push_off", "there_is_no_phase_pre"),
    (7, "no repetition", "rules_push_off", "a_position_may_recur_for_ever"),
    (
        7,
        "the last GIPF taken ends the game",
        "rules_push_off",
        "taking_ones_last_gipf_piece_ends_the_game_at_that_decision",
    ),
    (7, "no GIPF on the board loses at once", "rules_push_off", "who_has_no_gipf_piece_has_lost"),
    (7, "a limit always applies", "rules_push_off", "a_ply_limit_always_applies"),
    (7, "no player can be forced to lose", "rules_push_off", "who_keeps_his_gipf_pieces_does_not_lose"),
    (7, "the limit comes after the evaluation", "rules_push_off", "the_limit_comes_after_the_evaluation"),
];

fn text_of(file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let path = if file.contains('/') { format!("{file}.rs") } else { format!("tests/src/{file}.rs") };
    fs::read_to_string(root.join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the names of the tests in a file.
fn tests_of(file: &str) -> Vec<String> {
    let text = text_of(file);
    let lines = text.lines().skip_while(|line| line.trim() != "#[test]");
    let (marks, next) = (lines.clone(), lines.skip(1));
    let marked = marks.zip(next).filter(|(mark, _)| mark.trim() == "#[test]");
    let names = marked.filter_map(|(_, line)| line.trim().strip_prefix("fn ")?.strip_suffix("() {").map(str::to_owned));
    names.collect()
}

#[test]
fn every_sentence_has_its_test() {
    assert!(SENTENCES.is_sorted_by_key(|(section, ..)| section), "in the order of the rules");
    for (section, gist, file, test) in SENTENCES {
        assert!(tests_of(file).iter().any(|name| name == test), "section {section}, {gist}: {file} lacks {test}");
    }
}

#[test]
fn every_test_of_the_rules_is_listed() {
    let files = ["sets", "turns", "removal", "ends", "draws", "zertz", "push_off", "push_off_rows"];
    for file in files.map(|file| format!("rules_{file}")) {
        let tests = tests_of(&file);
        assert!(tests.len() > 4, "{file}");
        for test in tests {
            assert!(SENTENCES.iter().any(|row| (row.2, row.3) == (&file, &test)), "no sentence for {file}::{test}");
        }
    }
}

/// One test or more for each entry of the official FAQ.
#[test]
fn every_entry_of_the_faq_has_its_test() {
    let tests = [tests_of("faq"), tests_of("referee")].concat();
    for entry in 1..=12 {
        assert!(tests.iter().any(|test| test.starts_with(&format!("faq_{entry:02}_"))), "entry {entry}");
    }
}
