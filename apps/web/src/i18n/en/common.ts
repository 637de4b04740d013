export const common = {
  productName: 'threadbox',
  skipToMessage: 'Skip to message field',
  skipToContent: 'Skip to content',
  notifications: 'Notifications',
  close: 'Close',
  cancel: 'Cancel',
  copied: 'Copied',
  copyFailed: 'Couldn’t copy. The browser blocked access to the clipboard.',
  loading: 'Loading',
  learnMore: 'Learn more',
  docsAbout: 'Documentation: {{topic}}',
  panes: 'Panes',
}
