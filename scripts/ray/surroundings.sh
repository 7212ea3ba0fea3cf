# The environment of Ray when scripts/check-ray runs.

# Keeps Ray on 127.0.0.1, by a variable whose name does not say so; and makes a lost node noticed within seconds.
export RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0 RAY_USAGE_STATS_ENABLED=0 RAY_raylet_start_wait_time_s=120
export RAY_health_check_initial_delay_ms=1000 RAY_health_check_period_ms=1000 RAY_health_check_timeout_ms=5000
export RAY_health_check_failure_threshold=3
# Otherwise workers give way to everything else on the machine.
export RAY_worker_niceness=0
