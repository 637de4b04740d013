import { type RewindPreview, rewindPreviewSchema } from '@threadbox/protocol/public'

/** What a rewind of the example thread to before its message would undo, with a line of each kind. */
export function rewindPreviewAt(at: number): RewindPreview {
  return rewindPreviewSchema.parse({
    ...{ entryId: 'e1', turnId: 'u', text: 'Plot the trips per hour, weekdays against weekends.', problem: null },
    messages: { sent: 2, answers: 2 },
    disk: {
      ...{ to: 'snapshot', at, count: 4 },
      files: [
        { path: '/home/user/forecast_tomorrow.csv', change: 'removed', bytesNow: 920, bytesThen: null },
        { path: '/home/user/notes/old_model.md', change: 'restored', bytesNow: null, bytesThen: 2400 },
        { path: '/home/user/training.py', change: 'changed', bytesNow: 12_600, bytesThen: 11_900 },
        { path: '/home/user/.cache/matplotlib/fontlist.json', change: 'removed', bytesNow: 61_000, bytesThen: null },
      ],
    },
    bringsMemory: true,
    memory: { processes: ['python3 training.py'], services: ['web'], variables: ['trips', 'peaks', 'figure'] },
    calls: [{ tool: 'create_issue', count: 2 }],
  })
}
