// First: it changes what the guest’s servers do with requests.
import './misbehave.ts'
import '../../apps/guest/src/main.ts'
