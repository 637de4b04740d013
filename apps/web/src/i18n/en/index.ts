import { cards } from './cards.ts'
import { common } from './common.ts'
import { composer } from './composer.ts'
import { sandbox } from './sandbox.ts'
import { sidebar } from './sidebar.ts'
import { threads } from './threads.ts'

/** English, the language that all others are checked against. One namespace per feature. */
export const en = { common, cards, composer, sandbox, sidebar, threads }
