import { describe } from 'vitest'
import { startScreenParts, testOnPhone } from './screens/every-screen.ts'
import { phoneWidth } from './screens/screen-stage.ts'
import { threadScreens } from './screens/screens.ts'

const parts = startScreenParts()
describe(`screens of threads at ${phoneWidth} px`, () => testOnPhone(threadScreens, parts))
