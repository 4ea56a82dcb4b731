// Installs every published package into an empty project outside the workspace, and uses the packages there as a new
// user does.
import { cleanProject } from '@svc-audio/kit/hosts'
import { PEERS, PROGRAM } from './install/program.ts'

console.log('packing and installing …')
await using project = await cleanProject({
  dependencies: PEERS,
  peers: true,
  manifest: { type: 'module' },
  files: { 'main.js': PROGRAM },
  npmOptions: ['--legacy-peer-deps'],
})
const { exitCode, stdout, stderr } = await project.run('node', ['main.js'])
process.stdout.write(stdout)
process.stderr.write(stderr)
if (exitCode === 0) console.log('every package works outside the workspace')
else process.exitCode = 1
