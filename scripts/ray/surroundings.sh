# What Ray finds in its environment when scripts/check-ray runs.

# What keeps Ray on 127.0.0.1, under a name that says something else; and a node that is gone is noticed in seconds.
export RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0 RAY_USAGE_STATS_ENABLED=0 RAY_raylet_start_wait_time_s=120
export RAY_health_check_initial_delay_ms=1000 RAY_health_check_period_ms=1000 RAY_health_check_timeout_ms=5000
export RAY_health_check_failure_threshold=3
# Without it, workers give way to everything else on the machine.
export RAY_worker_niceness=0
