//! Threads of this program as workers.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use gipf_env::Learnable;
use gipf_models::Engine;
use gipf_play::Stop;
use gipf_play::players::{Build, STACK_BYTES};
use rayon::ThreadPoolBuilder;

use super::{CheckpointEval, Ended, Reporter, Stage, TrainError, Trainer};
use crate::training::shard::{ShardGames, ShardId, ShardSpec, play_here};

/// What is played, by which network, and against which opponent, if not itself.
type Order<P> = (ShardSpec<P>, Arc<Engine>, Option<Arc<Build<P>>>);
type Played<P> = (ShardId, ShardGames<P>);

impl<P: Learnable> Trainer<P> {
    /// Plays the games of the next iteration; returns whether all have ended.
    pub(super) fn play(&self, reporter: &mut dyn Reporter, stop: &Stop) -> bool {
        let iteration = self.iterations() + 1;
        let advance = reporter.begin(iteration, Stage::SelfPlay, self.config.run.games);
        while !self.coordinator.is_complete(iteration) {
            let Some((spec, engine, opponent)) = self.orders(1).pop() else { return false };
            let games = play_here(&spec, &engine, opponent.as_deref(), &|_| advance(1), stop);
            let Some(games) = games else { return false };
            self.coordinator.accept(spec.id(), games);
        }
        true
    }

    /// Returns shards to be played here.
    fn orders(&self, most: usize) -> Vec<Order<P>> {
        let specs = self.coordinator.next_shards(most).into_iter();
        let order = |spec: ShardSpec<P>| {
            let engine = self.coordinator.player(spec.iteration)?.engine?;
            let opponent = self.opponents.get(&spec.terms.config.opponent);
            Some((spec, engine, opponent))
        };
        specs.filter_map(order).collect()
    }

    /// Runs all iterations that are left, and plays games while it learns and measures.
    pub(super) fn train_ahead(
        &mut self,
        eval: &dyn CheckpointEval,
        reporter: &mut dyn Reporter,
        stop: &Stop,
    ) -> Result<Ended, TrainError> {
        // A pool of its own: otherwise threads that play would keep those that learn waiting.
        let pool =
            ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).stack_size(STACK_BYTES).build()?;
        let (orders, inbox) = channel();
        let (outbox, results) = channel();
        thread::scope(|scope| {
            scope.spawn(|| pool.install(move || play_orders(inbox, &outbox, stop)));
            let ended = self.train_on(&orders, &results, (eval, reporter, stop));
            // The playing threads stop at their next result, whatever was ordered.
            drop((orders, results));
            ended
        })
    }

    fn train_on(
        &mut self,
        orders: &Sender<Order<P>>,
        results: &Receiver<Played<P>>,
        (eval, reporter, stop): (&dyn CheckpointEval, &mut dyn Reporter, &Stop),
    ) -> Result<Ended, TrainError> {
        while self.begin()? {
            let iteration = self.iterations() + 1;
            // If nobody takes the orders, the playing threads have been stopped.
            let _ = self.orders(usize::MAX).into_iter().try_for_each(|order| orders.send(order));
            let advance = reporter.begin(iteration, Stage::SelfPlay, self.config.run.games);
            while !self.coordinator.is_complete(iteration) {
                let Ok((id, games)) = results.recv() else { return Ok(Ended::Stopped) };
                self.coordinator.accept(id, games);
            }
            advance(self.config.run.games);
            drop(advance);
            self.learn(reporter)?;
            if self.measure(eval, reporter, stop)? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
            self.save(reporter)?;
        }
        Ok(Ended::Complete)
    }
}

/// Plays the orders until there are no more, or a stop is requested.
fn play_orders<P: Learnable>(inbox: Receiver<Order<P>>, outbox: &Sender<Played<P>>, stop: &Stop) {
    for (spec, engine, opponent) in inbox {
        let Some(games) = play_here(&spec, &engine, opponent.as_deref(), &|_| {}, stop) else { return };
        if outbox.send((spec.id(), games)).is_err() {
            return;
        }
    }
}
