export const connection = {
  noAnswer: 'No answer from the server. It may be restarting.',
  offline: 'This device is offline.',
  lastContact: 'Last contact {{when}}.',
  kept: 'What you type is kept.',
  retryIn_one: 'Trying again in {{count}} s.',
  retryIn_other: 'Trying again in {{count}} s.',
  trying: 'Trying again now.',
  retry: 'Try now',
  error: {
    title: 'This page stopped working',
    text: 'The rest of the app and everything on the server is as it was.',
    reload: 'Reload the page',
    home: 'Go to the start page',
    details: 'Details',
    copy: 'Copy details',
  },
  notFound: {
    title: 'There is nothing at this address',
    text: 'The thread may have been deleted, or the address is incomplete.',
    home: 'Go to the start page',
  },
  toast: {
    unexpected: 'Something failed that should not have failed.',
    unexpectedRemedy: 'Reload the page. If it happens again, look into `threadbox logs`.',
  },
  copy: 'Copy',
  retryLoad: 'Try again',
}
