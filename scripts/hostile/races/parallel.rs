//! In place of rayon: the same work on threads whose order shuttle chooses.

const THREADS: usize = 3;

/// Does work on every thread, as `rayon::broadcast` does.
pub fn broadcast(work: impl Fn(usize) + Sync) {
    shuttle::thread::scope(|scope| {
        for thread in 0..THREADS {
            let work = &work;
            scope.spawn(move || work(thread));
        }
    });
}

/// What can be worked on in parallel.
pub trait InParallel<T> {
    /// Returns the items.
    fn par_iter(&self) -> Items<'_, T>;
}

impl<T> InParallel<T> for [T] {
    fn par_iter(&self) -> Items<'_, T> {
        Items(self)
    }
}

/// Items that threads take one after the other.
pub struct Items<'a, T>(&'a [T]);

impl<'a, T: Sync> Items<'a, T> {
    /// They are numbered anyway.
    pub fn enumerate(self) -> Self {
        self
    }

    /// Does work on each item, with something that each thread has made for itself.
    pub fn for_each_init<S>(self, init: impl Fn() -> S + Sync, work: impl Fn(&mut S, (usize, &'a T)) + Sync) {
        let next = shuttle::sync::atomic::AtomicUsize::new(0);
        broadcast(|_| {
            let mut own = init();
            loop {
                let number = next.fetch_add(1, shuttle::sync::atomic::Ordering::SeqCst);
                let Some(item) = self.0.get(number) else { break };
                work(&mut own, (number, item));
            }
        });
    }
}
