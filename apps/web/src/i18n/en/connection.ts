export const connection = {
  noAnswer: 'The server isn’t responding. It may be restarting.',
  offline: 'You’re offline.',
  lastContact: 'Last response {{when}}.',
  kept: 'Your draft is kept.',
  retryIn_one: 'Retrying in {{count}} s.',
  retryIn_other: 'Retrying in {{count}} s.',
  trying: 'Retrying…',
  retry: 'Retry now',
  error: {
    title: 'This page crashed',
    text: 'The rest of the app and your data on the server aren’t affected.',
    reload: 'Reload the page',
    home: 'Go to home',
    details: 'Details',
    copy: 'Copy details',
  },
  notFound: {
    title: 'Page not found',
    text: 'The thread may have been deleted, or the link is incomplete.',
    home: 'Go to home',
  },
  toast: {
    unexpected: 'Something went wrong.',
    unexpectedRemedy: 'Reload the page. If it happens again, check `threadbox logs`.',
  },
  copy: 'Copy',
  retryLoad: 'Try again',
}
