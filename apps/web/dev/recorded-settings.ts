import type { Settings } from '@threadbox/sdk'

const GiB = 1024 ** 3
const editable = (name: string, doc: string, [value, preset]: readonly (number | string)[]) => ({
  name,
  doc,
  value: value ?? null,
  default: preset ?? value ?? null,
  isEditable: true,
})

/** The settings of an installation on which some were changed. */
export const settings: Settings = {
  settings: [
    editable('sandboxMemoryBytes', 'Memory for each sandbox, in bytes.', [4 * GiB]),
    editable('idlePauseMinutes', 'Minutes of inactivity before a sandbox pauses.', [15, 30]),
    editable(
      'hotHours',
      'Hours after a pause for which the sandbox’s saved memory (running programs, variables) is always kept.',
      [8],
    ),
    editable(
      'hotKeep',
      'What happens after that time. `guaranteed`: memory is kept while there’s disk space. `strict`: memory is discarded.',
      ['guaranteed'],
    ),
    editable(
      'maxAwakeHours',
      'Hours after which a sandbox pauses even if it’s working. A notice appears one hour before.',
      [24],
    ),
    editable(
      'archiveDays',
      'Days without use after which a sandbox’s files move to the archive (`THREADBOX_ARCHIVE_STORE`), from where the next use brings them back. 0: never.',
      [0],
    ),
    editable(
      'retentionDays',
      'Days without use after which a sandbox’s files are deleted. A notice appears one week before. 0: never.',
      [0],
    ),
    editable('rescueSeconds', 'Maximum seconds for saving Python variables to disk before memory is discarded.', [60]),
    editable('rescueMebibytes', 'Maximum MiB for all saved Python variables of a sandbox.', [1024]),
    editable('rescueVariableMebibytes', 'Maximum MiB for one saved Python variable.', [256]),
  ],
  limits: { memoryBytes: 4 * GiB, cpus: 2, processes: 1024, diskBytes: 10 * GiB },
}
