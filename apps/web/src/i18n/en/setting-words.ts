/** Titles of settings whose names do not make good ones; what they do is said by the server. */
export const settingTitles: Readonly<Record<string, string>> = {
  idlePauseMinutes: 'Pause after (minutes)',
  hotHours: 'Keep memory for (hours)',
  hotKeep: 'After that',
  maxAwakeHours: 'Awake at most (hours)',
  retentionDays: 'Keep files for (days)',
  maxServices: 'Services per thread',
  rescueSeconds: 'Time (seconds)',
  rescueMebibytes: 'Room for all variables (MiB)',
  rescueVariableMebibytes: 'Room for one variable (MiB)',
  snapshotsPerThread: 'Snapshots per thread',
  snapshotMebibytesPerThread: 'Snapshots of a thread (MiB)',
  snapshotMebibytes: 'All snapshots (MiB)',
  runsAtOnce: 'Runs at once',
  runsQueued: 'Runs that wait',
  runHistoryDays: 'Runs are listed (days)',
  runHistoryCount: 'Runs are listed (per agent)',
}
