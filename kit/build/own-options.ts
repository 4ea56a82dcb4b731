// Copies @svc-audio/options, which is not published, into dist/option-checks of the package in this folder. Its sources
// import it as `#options`. Run it before `tsc`, in the package's folder.
import { cpSync } from 'node:fs'
import { join } from 'node:path'

const source = join(import.meta.dirname, '..', 'options', 'dist')
cpSync(source, join('dist', 'option-checks'), { recursive: true, filter: (path) => !path.endsWith('.tsbuildinfo') })
