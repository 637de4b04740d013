export const empty = {
  title: 'This thread has its own computer',
  direct:
    'No model is connected yet, so you are in <b>direct mode</b>: type a command and it runs in this thread’s sandbox. Files and packages stay.',
  agent:
    'Ask for something. {{model}} works in this thread’s sandbox; files, packages and variables stay for the next message.',
  unknown: 'It could not be read which models are connected. Commands work without one.',
  commands: 'Commands',
  run: 'Run a shell command',
  python: 'Run Python, keep variables',
  help: 'List all commands',
  helpExample: 'what direct mode can do',
  insert: 'Put {{command}} into the message field',
  connectTitle: 'Or connect a model',
  practicesTitle: 'Four practices',
  practice: {
    together: { title: 'Keep related work in one thread', text: 'Its packages and files are already there.' },
    separate: { title: 'Start another thread for another project', text: 'Threads do not see each other.' },
    paths: { title: 'Refer to files by path', text: 'They stay, also when the conversation gets long.' },
    scripts: { title: 'Ask for a script when you will do it again', text: 'A file outlives every answer.' },
  },
}
