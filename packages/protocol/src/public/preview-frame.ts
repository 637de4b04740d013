/**
 * What a preview’s page can do in a frame of the app: everything that a page does, except navigate the app’s own tab.
 * The frame’s `sandbox` attribute; the server sends the same in a header.
 */
export const previewFrameSandbox =
  'allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox ' +
  'allow-downloads allow-pointer-lock allow-presentation allow-orientation-lock'
