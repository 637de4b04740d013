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
    editable('sandboxMemoryBytes', 'Memory of each sandbox, in bytes.', [4 * GiB]),
    editable('idlePauseMinutes', 'Minutes without any work after which a sandbox is paused.', [15, 30]),
    editable('hotHours', 'Hours for which the memory of a paused sandbox is kept in any case.', [8]),
    editable('hotKeep', '`guaranteed`: longer while there is room. `strict`: given up after exactly that time.', [
      'guaranteed',
    ]),
    editable('maxAwakeHours', 'Hours after which a sandbox is paused even if it works.', [24]),
    editable('retentionDays', 'Days without use after which the files of a sandbox are removed. 0: never.', [0]),
    editable('rescueSeconds', 'Seconds that writing down Python variables may take.', [60]),
    editable('rescueMebibytes', 'Mebibytes that all Python variables of a sandbox may take.', [1024]),
    editable('rescueVariableMebibytes', 'Mebibytes that one Python variable may take.', [256]),
  ],
  limits: { memoryBytes: 4 * GiB, cpus: 2, processes: 1024, diskBytes: 10 * GiB },
}
