export const common = {
  productName: 'threadbox',
  skipToMessage: 'Skip to the message field',
  skipToContent: 'Skip to the content',
  notifications: 'Notifications',
  close: 'Close',
  cancel: 'Cancel',
  copied: 'Copied',
  copyFailed: 'Could not copy. The browser refused access to the clipboard.',
  loading: 'Loading',
  panes: 'Panes',
}
