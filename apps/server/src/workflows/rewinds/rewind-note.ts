/** The note about a rewind for the model. */
export function rewindNoteOf(cameBack: 'memory' | 'disk'): string {
  const sandbox =
    cameBack === 'memory'
      ? "The sandbox's files, processes and variables were restored to that point; connections to other machines were closed."
      : "The sandbox's files were restored to that point; processes and variables are gone. Restart what the task needs."
  return (
    'The user rewound this conversation to before an earlier message. Everything after that point was removed from the ' +
    `conversation. ${sandbox} Effects of tools outside the sandbox remain.`
  )
}
