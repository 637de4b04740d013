/** What the model has to know of a rewind. */
export function rewindNoteOf(cameBack: 'memory' | 'disk'): string {
  const computer =
    cameBack === 'memory'
      ? 'Files, processes and variables of the computer are those of then; connections to other machines were closed.'
      : 'The files of the computer are those of then; processes and variables are gone; start again what the task needs.'
  return (
    'The user rewound this conversation to before an earlier message. What came after it left the conversation. ' +
    `${computer} What tools had done outside of the computer stays done.`
  )
}
