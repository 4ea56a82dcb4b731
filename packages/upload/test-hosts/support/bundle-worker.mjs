// Bundles a worker into worker.js, as Wrangler does: Node's modules come from the runtime, also for `require`.
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
// @boundaries-ignore the clean project has it
import { build } from 'esbuild'

const entry = process.argv[2]
const filter = new RegExp(`^(?:node:)?(?:${builtinModules.join('|')})$`)
const nodeModules = {
  name: 'node-modules',
  setup(bundle) {
    bundle.onResolve({ filter }, ({ path, kind }) => {
      const name = path.startsWith('node:') ? path : `node:${path}`
      return kind === 'require-call' ? { path: name, namespace: 'required' } : { path: name, external: true }
    })
    bundle.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `import all from '${path}'; module.exports = all`,
    }))
  },
}
await build({
  entryPoints: [entry],
  bundle: true,
  format: 'esm',
  conditions: ['workerd', 'worker', 'browser'],
  plugins: [nodeModules],
  outfile: join(dirname(entry), 'worker.js'),
})
