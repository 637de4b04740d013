export const firstMinute = {
  button: 'Watch a computer survive',
  buttonText:
    'A counter starts, its computer is paused and woken, and the count goes on. Takes half a minute, needs no model.',
  threadTitle: 'Watch a computer survive',
  counter: 'Seconds counted',
  since: 'by process $process, since $time, in memory only',
  stepOf: '{{number}} of {{total}}',
  stop: 'Stop here',
  done: 'Done',
  failed: 'The demonstration ended early',
  step: {
    starting: { title: 'A computer starts', text: 'It gets a small program that counts seconds in its memory.' },
    counting: { title: 'It counts', text: 'It is at {{before}}. Nothing of it is on a disk.' },
    pausing: { title: 'Now it is paused', text: 'In the middle of counting, with everything that runs.' },
    asleep: { title: 'It sleeps', text: 'It stands still with all it has in memory, and uses no processor.' },
    waking: { title: 'Now it wakes', text: 'Its memory comes back as it was.' },
    survived: {
      title: 'It survived',
      text: 'It was at {{before}} when it was paused and went on to {{after}}: still process {{process}}. The report in the conversation says what else survived.',
    },
    restarted: {
      title: 'It began anew',
      text: 'Its memory was lost, so the counter was started again and is at {{after}}. The report in the conversation says why.',
    },
  },
}
