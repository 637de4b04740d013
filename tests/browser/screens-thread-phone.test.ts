import { describe } from 'vitest'
import { startScreenTools, testOnPhone } from './screens/every-screen.ts'
import { phoneWidth } from './screens/screen-stage.ts'
import { threadScreens } from './screens/screens.ts'

const parts = startScreenTools()
describe(`screens of threads at ${phoneWidth} px`, () => testOnPhone(threadScreens, parts))
