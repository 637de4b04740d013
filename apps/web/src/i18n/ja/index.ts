import type { Translation } from '../translation.ts'
import { agents } from './agents.ts'
import { auth } from './auth.ts'
import { cards } from './cards.ts'
import { common } from './common.ts'
import { composer } from './composer.ts'
import { connection } from './connection.ts'
import { connections } from './connections.ts'
import { empty } from './empty.ts'
import { errors } from './errors.ts'
import { files } from './files.ts'
import { findings } from './finding-words.ts'
import { firstMinute } from './first-minute.ts'
import { git } from './git.ts'
import { gitCredentials } from './git-credentials.ts'
import { help } from './help.ts'
import { lifecycle } from './lifecycle.ts'
import { machine } from './machine.ts'
import { models } from './models.ts'
import { network } from './network.ts'
import { passkeys } from './passkeys.ts'
import { people } from './people.ts'
import { preview } from './preview.ts'
import { problems } from './problem-words.ts'
import { runs } from './runs.ts'
import { sandbox } from './sandbox.ts'
import { search } from './search.ts'
import { secrets } from './secrets.ts'
import { settingWords } from './setting-words.ts'
import { settings } from './settings.ts'
import { sharing } from './sharing.ts'
import { sidebar } from './sidebar.ts'
import { signIn } from './sign-in.ts'
import { skills } from './skills.ts'
import { terminal } from './terminal.ts'
import { threads } from './threads.ts'
import { usage } from './usage.ts'
import { workspaces } from './workspaces.ts'

export const japanese: Translation = {
  texts: {
    common,
    cards,
    composer,
    sandbox,
    sidebar,
    terminal,
    threads,
    agents,
    auth,
    connection,
    connections,
    empty,
    files,
    firstMinute,
    git,
    gitCredentials,
    help,
    lifecycle,
    machine,
    models,
    network,
    passkeys,
    people,
    preview,
    runs,
    search,
    secrets,
    settings,
    sharing,
    signIn,
    skills,
    usage,
    workspaces,
  },
  errors,
  problems,
  findings,
  settings: settingWords,
}
