import { describe } from 'vitest'
import { startScreenParts, testAtDesk } from './screens/every-screen.ts'
import { deskWidth } from './screens/screen-stage.ts'
import { threadScreens } from './screens/screens.ts'

const parts = startScreenParts()
describe(`screens of threads at ${deskWidth} px`, () => testAtDesk(threadScreens, parts))
