import { type GitDiff, type GitLook, gitDiffSchema, gitLookSchema } from '@threadbox/protocol/public'

const file = (path: string, values: Partial<NonNullable<GitLook['tree']>['files'][number]>) => ({
  path,
  from: null,
  change: 'modified' as const,
  isBinary: false,
  addedLines: null,
  removedLines: null,
  ...values,
})

/** Two repositories, and the changes in one of them. */
export const gitLook: GitLook = gitLookSchema.parse({
  repositories: ['/home/user/trips', '/home/user/trips/vendor/charts'],
  areAllFound: true,
  tree: {
    root: '/home/user/trips',
    branch: 'by-hour',
    commit: 'a'.repeat(40),
    upstream: 'origin/by-hour',
    ahead: 2,
    behind: 1,
    moreFiles: 0,
    unreadableNames: 0,
    files: [
      file('README.md', { addedLines: 4, removedLines: 1 }),
      file('charts/by-day.png', { isBinary: true }),
      file('notes/a name with spaces.md', { change: 'untracked' }),
      file('old_import.py', { change: 'deleted', addedLines: 0, removedLines: 41 }),
      file('src/by_hour.py', { change: 'renamed', from: 'src/hours.py', addedLines: 3, removedLines: 2 }),
    ],
  },
})

export const gitDiff: GitDiff = gitDiffSchema.parse({
  isBinary: false,
  modes: null,
  isCut: false,
  addedLines: 3,
  removedLines: 2,
  diff: [
    '@@ -1,6 +1,7 @@',
    ' import pandas as pd',
    ' ',
    ' ',
    '-def hours(trips):',
    '-    return trips.groupby("hour").size()',
    '+def by_hour(trips: pd.DataFrame) -> pd.Series:',
    '+    hour = trips["started"].dt.hour',
    '+    return trips.groupby(hour).size().rename("trips per hour, over all of the days that there are")',
    ' ',
    '@@ -20,2 +21,2 @@ def main():',
    '     trips = read()',
    '     print(len(trips))',
    '',
  ].join('\n'),
})
