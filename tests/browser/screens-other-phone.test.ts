import { describe } from 'vitest'
import { startScreenParts, testOnPhone } from './screens/every-screen.ts'
import { phoneWidth } from './screens/screen-stage.ts'
import { otherScreens } from './screens/screens.ts'

const parts = startScreenParts()
describe(`screens outside of threads at ${phoneWidth} px`, () => testOnPhone(otherScreens, parts))
