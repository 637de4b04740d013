/** All shortcuts of the app, by the key of their text. */
export const shortcutGroups = {
  message: [
    ['send', 'enter'],
    ['newLine', 'shift+enter'],
    ['commands', '/'],
    ['editLast', '↑'],
    ['escape', 'Esc'],
  ],
  app: [
    ['palette', 'mod+K'],
    ['newThread', 'mod+shift+O'],
    ['sidebar', 'mod+shift+S'],
    ['shortcuts', 'mod+/'],
    ['nextRegion', 'F6'],
  ],
  thread: [
    ['rename', 'F2'],
    ['preview', 'alt+1'],
    ['files', 'alt+2'],
    ['terminal', 'alt+3'],
    ['sandbox', 'alt+4'],
    ['git', 'alt+5'],
  ],
} as const
