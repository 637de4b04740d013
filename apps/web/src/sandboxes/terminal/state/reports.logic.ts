/**
 * What a terminal sends automatically in the same stream as keystrokes: that it has the focus, that the mouse moved,
 * and replies to programs. None of it is activity of the user.
 */
const reports = [
  // Focus gained or lost.
  String.raw`\[[IO]`,
  // Mouse movement: the sixth bit of the button.
  String.raw`\[<(?:3[2-9]|[45]\d|6[0-3]);\d+;\d+[Mm]`,
  // Which terminal it is, that it works, the cursor position, the active modes.
  String.raw`\[[?>=][\d;]*c`,
  String.raw`\[0n`,
  String.raw`\[\??\d+;\d+R`,
  String.raw`\[\??\d+;\d+\$y`,
  // Colors and settings.
  String.raw`\](?:4|1[012]);[^\x07\x1b]*(?:\x07|\x1b\\)`,
  String.raw`P[^\x1b]*\x1b\\`,
]
const isOnlyReports = new RegExp(`^(?:\\x1b(?:${reports.join('|')}))+$`)

export function isReport(text: string): boolean {
  return isOnlyReports.test(text)
}
