import { exitCodeOf, toWireError } from '@threadbox/errors'
import { Argument, Command, Option } from 'commander'
import { doctorCommand } from './commands/doctor.command.ts'
import { logsCommand } from './commands/logs.command.ts'
import { recordProcessCommand } from './commands/record-process.command.ts'
import { rotateLogsCommand } from './commands/rotate-logs.command.ts'
import { statusCommand } from './commands/status.command.ts'
import { stopSandboxesCommand } from './commands/stop-sandboxes.command.ts'

const dataDirectory = () =>
  new Option('--data-dir <folder>', 'folder of the installation').env('THREADBOX_DATA').default('/var/lib/threadbox')

const cli = new Command('threadbox').description('Looks after an installation of threadbox on this machine.')

cli
  .command('status')
  .description('what runs, and at which address')
  .addOption(dataDirectory())
  .option('--json', 'one JSON object', false)
  .action(async (options) => finish(await statusCommand(options)))

cli
  .command('doctor')
  .description('checks everything and names cures; one check runs inside a sandbox')
  .addOption(dataDirectory())
  .option('--json', 'one JSON object', false)
  .addOption(new Option('--machine-checks <file>').hideHelp())
  .action(async (options) => finish(await doctorCommand(options)))

cli
  .command('logs')
  .description('log of the server, the host daemon or the supervisor; without a name, all')
  .argument('[program]', 'server, host or supervisor')
  .addOption(dataDirectory())
  .option('-n, --lines <count>', 'how many lines of each', '100')
  .option('-f, --follow', 'go on with what is added', false)
  .action(async (program: string | undefined, options) => finish(await logsCommand({ ...options, program })))

cli
  .command('stop-sandboxes')
  .description('stops every sandbox; files stay')
  .addOption(dataDirectory())
  .action(async (options) => finish(await stopSandboxesCommand(options)))

cli
  .command('rotate-logs')
  .description('moves logs aside that have grown large')
  .addOption(dataDirectory())
  .action(async (options) => finish(await rotateLogsCommand(options)))

cli
  .command('record-process')
  .description('notes which process a program runs as')
  .addArgument(new Argument('<program>').choices(['host', 'server']))
  .argument('<pid>')
  .addOption(dataDirectory())
  .action(async (program: 'host' | 'server', pid: string, options) =>
    finish(await recordProcessCommand({ ...options, program, pid })),
  )

try {
  await cli.parseAsync()
} catch (error) {
  const { message, remedy } = toWireError(error).error
  process.stderr.write(`${message}\n${remedy}\n`)
  finish(exitCodeOf(error))
}

function finish(exitCode: number): void {
  process.exitCode = exitCode
}
