import { exitCodeOf, toWireError } from '@threadbox/errors'
import { Argument, Command, Option } from 'commander'
import { bundleCommand } from './commands/bundle.command.ts'
import { doctorCommand } from './commands/doctor.command.ts'
import { logsCommand } from './commands/logs.command.ts'
import { recordProcessCommand } from './commands/record-process.command.ts'
import { rotateLogsCommand } from './commands/rotate-logs.command.ts'
import { statusCommand } from './commands/status.command.ts'
import { stopSandboxesCommand } from './commands/stop-sandboxes.command.ts'

const dataDirectory = () =>
  new Option('--data-dir <folder>', 'data directory of the installation')
    .env('THREADBOX_DATA')
    .default('/var/lib/threadbox')

const cli = new Command('threadbox').description('Manages the threadbox installation on this host.')

cli
  .command('status')
  .description('show what’s running, and the address')
  .addOption(dataDirectory())
  .option('--json', 'print one JSON object', false)
  .action(async (options) => finish(await statusCommand(options)))

cli
  .command('doctor')
  .description('check the installation and suggest fixes; starts one test sandbox')
  .addOption(dataDirectory())
  .option('--json', 'print one JSON object', false)
  .option('--bundle [file]', 'write a support bundle, without secrets, names and content')
  .addOption(new Option('--machine-checks <file>').hideHelp())
  .addOption(new Option('--server-facts <file>').hideHelp())
  .action(async (options) => finish(await (options.bundle ? bundleCommand(options) : doctorCommand(options))))

cli
  .command('logs')
  .description('show logs of the server, the host daemon or the supervisor (default: all)')
  .argument('[program]', 'server, host or supervisor')
  .addOption(dataDirectory())
  .option('-n, --lines <count>', 'number of lines per log', '100')
  .option('-f, --follow', 'follow new lines', false)
  .action(async (program: string | undefined, options) => finish(await logsCommand({ ...options, program })))

cli
  .command('stop-sandboxes')
  .description('pause every sandbox, or stop it if that fails; files are kept')
  .addOption(dataDirectory())
  .action(async (options) => finish(await stopSandboxesCommand(options)))

cli
  .command('rotate-logs')
  .description('rotate large logs')
  .addOption(dataDirectory())
  .action(async (options) => finish(await rotateLogsCommand(options)))

cli
  .command('record-process')
  .description('record a program’s process ID')
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
