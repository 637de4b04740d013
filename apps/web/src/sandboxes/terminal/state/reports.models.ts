/**
 * What a terminal says by itself in the same stream as what is typed: that it has the focus, that the mouse has moved, and
 * answers to what programs ask. Nobody is at work for that.
 */
const reports = [
  // Focus comes and goes.
  String.raw`\[[IO]`,
  // The mouse moves: the sixth bit of the button.
  String.raw`\[<(?:3[2-9]|[45]\d|6[0-3]);\d+;\d+[Mm]`,
  // Which terminal it is, that it works, where the cursor is, which modes are set.
  String.raw`\[[?>=][\d;]*c`,
  String.raw`\[0n`,
  String.raw`\[\??\d+;\d+R`,
  String.raw`\[\??\d+;\d+\$y`,
  // Colours and settings.
  String.raw`\](?:4|1[012]);[^\x07\x1b]*(?:\x07|\x1b\\)`,
  String.raw`P[^\x1b]*\x1b\\`,
]
const isOnlyReports = new RegExp(`^(?:\\x1b(?:${reports.join('|')}))+$`)

export function isReport(text: string): boolean {
  return isOnlyReports.test(text)
}
