export const firstMinute = {
  button: 'Watch a computer survive',
  buttonText:
    'Starts a counter, pauses and wakes its sandbox, and shows the count continuing. Takes 30 seconds, no model needed.',
  threadTitle: 'Watch a computer survive',
  counter: 'Seconds counted',
  since: 'by process $process, since $time, in memory only',
  stepOf: '{{number}} of {{total}}',
  stop: 'Stop here',
  done: 'Done',
  failed: 'The demo stopped early',
  step: {
    starting: { title: 'Starting a sandbox', text: 'It runs a small program that counts seconds in memory.' },
    counting: { title: 'Counting', text: 'The count is {{before}}. None of it is on disk.' },
    pausing: { title: 'Pausing', text: 'Mid-count, with everything that’s running.' },
    asleep: { title: 'Asleep', text: 'Everything in memory is saved. Nothing runs and no CPU is used.' },
    waking: { title: 'Waking', text: 'Memory is restored exactly as it was.' },
    survived: {
      title: 'It survived',
      text: 'The count was {{before}} at the pause and continued to {{after}}: still process {{process}}. The report in the conversation lists what else survived.',
    },
    restarted: {
      title: 'It started over',
      text: 'Its memory was lost, so the counter restarted and is at {{after}}. The report in the conversation explains why.',
    },
  },
}
