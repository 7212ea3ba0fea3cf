//! The conversation with one page.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gipf_play::Stop;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::{Common, Shared};
use crate::ask::{Answer, Ask};
use crate::desk::Desk;
use crate::message::{Question, answered, refused};

/// The longest question: a record of some thousand turns.
const LONGEST: usize = 1 << 18;
/// The most answers that wait for a page that does not read them.
const WAITING: usize = 16;
/// The longest time that a player thinks about one question.
const PATIENCE: Duration = Duration::from_mins(10);

/// The longest time in which a page may read nothing, or say nothing when it is asked whether it is there.
const SILENCE: Duration = Duration::from_secs(30);

/// How long a question waits before it says so: an earlier one of the same page may be about to end.
const UNTOLD: Duration = Duration::from_millis(200);

/// How often a question that waits for others checks whether it should stop.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Begins the conversation with a page, if there are not too many.
pub(super) async fn connect(State(shared): Common, upgrade: WebSocketUpgrade) -> Response {
    let Ok(place) = Arc::clone(&shared.pages).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages: expected that others are closed first\n")
            .into_response();
    };
    upgrade.max_message_size(LONGEST).max_frame_size(LONGEST).on_upgrade(async move |socket| {
        let _place = place;
        converse(socket, shared).await;
    })
}

/// Answers a page until it goes, or sends something that is not a question.
async fn converse(mut socket: WebSocket, shared: Arc<Shared>) {
    let (answers, mut waiting) = mpsc::channel(WAITING);
    let (mut thinking, mut reading) = (Aside::default(), Aside::default());
    // A page whose machine has left the network does not say goodbye.
    let mut ticks = interval_at(Instant::now() + SILENCE, SILENCE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_heard = true;
    loop {
        tokio::select! {
            biased;
            Some(text) = waiting.recv() => {
                if send(&mut socket, Message::Text(String::into(text))).await.is_err() {
                    return;
                }
            }
            message = socket.recv() => match message.inspect(|_| is_heard = true) {
                Some(Ok(Message::Text(text))) => {
                    let Ok(Question { id, ask }) = serde_json::from_str(&text) else { return };
                    let mut aside = match &ask {
                        Some(ask) if Desk::reads(ask) => Some(&mut reading),
                        Some(ask) if !Desk::takes_long(ask) => None,
                        _ => Some(&mut thinking),
                    };
                    let stop = Stop::default();
                    if let Some(aside) = &mut aside {
                        aside.ending = Ending(stop.clone());
                    }
                    let Some(ask) = ask else { continue };
                    let answering = answer(Arc::clone(&shared), id, ask, stop, answers.clone());
                    // Short questions are answered before the next question is read, so that nobody can ask faster than
                    // answers come.
                    let mut answering = Some(tokio::spawn(answering));
                    if let Some(aside) = aside {
                        std::mem::swap(&mut aside.answering, &mut answering);
                    }
                    // The earlier one of its kind was asked to end; the new one waits for it.
                    if let Some(answering) = answering
                        && drained(answering, &mut waiting, &mut socket).await.is_err()
                    {
                        return;
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => return,
            },
            // After the messages that have come, which may have waited behind an answer.
            _ = ticks.tick() => {
                if !std::mem::take(&mut is_heard) || send(&mut socket, Message::Ping(Bytes::new())).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Sends a message; fails if the page is gone, or does not read.
async fn send(socket: &mut WebSocket, message: Message) -> Result<(), ()> {
    timeout(SILENCE, socket.send(message)).await.map_err(drop)?.map_err(drop)
}

/// Sends the parts of an answer until it is complete.
async fn drained(
    mut answering: JoinHandle<()>,
    waiting: &mut mpsc::Receiver<String>,
    socket: &mut WebSocket,
) -> Result<(), ()> {
    loop {
        tokio::select! {
            biased;
            Some(text) = waiting.recv() => send(socket, Message::Text(text.into())).await?,
            ended = &mut answering => return ended.map_err(drop),
        }
    }
}

/// Answers a question, on a thread of its own.
async fn answer(shared: Arc<Shared>, id: u32, ask: Ask, stop: Stop, answers: mpsc::Sender<String>) {
    let places = match &ask {
        Ask::Move { .. } => Some(&shared.movers),
        ask => Desk::takes_long(ask).then_some(&shared.thinkers),
    };
    let place = match places {
        Some(places) => tokio::select! {
            place = free(places, id, &answers) => place,
            // The players are busy with other pages; this page no longer waits for an answer.
            () = requested(&stop) => {
                answers.send(refused(id, "stopped before there was an answer")).await.ok();
                return;
            }
        },
        None => None,
    };
    let (own, ending) = (stop.clone(), answers.clone());
    let work = move || {
        let _place = place;
        let mut tell = |answer: Answer| {
            // A page that is gone, or does not read, needs no more answers.
            if !is_handed_on(&answers, answered(id, false, &answer), &own) || shared.stop.requested() {
                own.request();
            }
        };
        let mut answer = || shared.desk.answer(&ask, &own, &mut tell);
        let found = if Desk::is_spread(&ask) { on_own_threads(answer) } else { answer() };
        match found {
            Ok(answer) => answered(id, true, &answer),
            Err(error) => refused(id, &error.to_string()),
        }
    };
    let mut work = tokio::task::spawn_blocking(work);
    let last = tokio::select! {
        last = &mut work => last,
        () = tokio::time::sleep(PATIENCE) => {
            stop.request();
            work.await
        }
    };
    // A fault of this program ends only this answer.
    let fault = |_| refused(id, "the program failed at this question");
    ending.send(last.unwrap_or_else(fault)).await.ok();
}

/// Does work that is spread over threads on some of its own: those of the program would first end what another page has
/// asked for, and a stop would have to wait for that.
fn on_own_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build() {
        Ok(pool) => pool.install(work),
        // The system has no more threads.
        Err(_) => work(),
    }
}

/// Returns a player that is free, and tells the page if it has to wait for one.
async fn free(places: &Arc<Semaphore>, id: u32, answers: &mpsc::Sender<String>) -> Option<OwnedSemaphorePermit> {
    let mut place = pin!(Arc::clone(places).acquire_owned());
    if let Ok(place) = timeout(UNTOLD, &mut place).await {
        return place.ok();
    }
    answers.send(answered(id, false, &Answer::Waiting {})).await.ok();
    place.await.ok()
}

/// Hands on a part of an answer, and returns whether the page takes it before it has been silent for too long: a page
/// that does not must not keep a place that others wait for.
fn is_handed_on(answers: &mpsc::Sender<String>, mut text: String, stop: &Stop) -> bool {
    let began = Instant::now();
    while began.elapsed() < SILENCE && !stop.requested() {
        match answers.try_send(text) {
            Ok(()) => return true,
            Err(TrySendError::Full(back)) => text = back,
            Err(TrySendError::Closed(_)) => return false,
        }
        std::thread::sleep(LOOK_EVERY);
    }
    false
}

/// Returns once a stop is requested.
async fn requested(stop: &Stop) {
    while !stop.requested() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// A question that is answered beside others, one of its kind at a time.
#[derive(Default)]
struct Aside {
    /// Ends it when the page goes, or asks another question of the kind.
    ending: Ending,
    answering: Option<JoinHandle<()>>,
}

/// Requests a stop when it is dropped.
#[derive(Default)]
struct Ending(Stop);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.request();
    }
}
