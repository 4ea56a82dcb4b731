import { copyFileSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * Copies the declarations of `tsc`. The nearest `package.json` decides the module format of a declaration.
 *
 * @param from Folder of the declarations.
 * @param to Folder of the CommonJS build, inside `from`.
 */
export function declarations(from: string, to: string): Plugin {
  return {
    name: 'declarations',
    writeBundle() {
      const nested = `${to.slice(from.length + 1)}/**`
      for (const path of globSync('**/*.d.ts', { cwd: from, exclude: [nested] })) {
        const target = join(to, path)
        mkdirSync(dirname(target), { recursive: true })
        copyFileSync(join(from, path), target)
      }
      writeFileSync(join(to, 'package.json'), '{ "type": "commonjs" }\n')
    },
  }
}
