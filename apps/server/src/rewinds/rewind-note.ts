/** What the model has to know of a rewind. */
export const rewindNote =
  'The user rewound this conversation to before an earlier message. What came after it left the conversation. The files ' +
  'of the computer are those of then; processes and variables are gone; start again what the task needs. What tools had ' +
  'done outside of the computer stays done.'
