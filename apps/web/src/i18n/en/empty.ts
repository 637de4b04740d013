export const empty = {
  title: 'This thread has its own computer',
  direct:
    'No model is connected yet, so you’re in <b>direct mode</b>: commands you type run in this thread’s sandbox. Files and packages stay.',
  agent:
    'Ask for anything. {{model}} works in this thread’s sandbox; files, packages and variables stay from message to message.',
  unknown: 'Couldn’t load the connected models. Commands work without one.',
  commands: 'Commands',
  run: 'Run a shell command',
  python: 'Run Python and keep its variables',
  help: 'List all commands',
  helpExample: 'see what direct mode can do',
  insert: 'Insert {{command}}',
  connectTitle: 'Or connect a model',
  practicesTitle: 'Tips',
  practice: {
    together: { title: 'Keep related work in one thread', text: 'Its packages and files are already there.' },
    separate: { title: 'Start a new thread for each project', text: 'Threads can’t see each other.' },
    paths: { title: 'Refer to files by path', text: 'They stay available, however long the conversation gets.' },
    scripts: { title: 'Ask for a script if you’ll do it again', text: 'A saved script works in every later message.' },
  },
}
