import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagesPage } from './packages-page.ts'

const lock = readFileSync(join(import.meta.dirname, 'recipe/python.lock'), 'utf8')
writeFileSync(join(import.meta.dirname, '../docs/packages.md'), packagesPage(lock))
