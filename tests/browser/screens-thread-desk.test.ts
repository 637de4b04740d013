import { describe } from 'vitest'
import { startScreenTools, testAtDesk } from './screens/every-screen.ts'
import { deskWidth } from './screens/screen-stage.ts'
import { threadScreens } from './screens/screens.ts'

const parts = startScreenTools()
describe(`screens of threads at ${deskWidth} px`, () => testAtDesk(threadScreens, parts))
