import { type Check, check } from '../check.ts'
import { NotSupported } from '../outcomes.ts'
import { models } from '../subject/fixtures.ts'
import { accept } from '../subject/requests.ts'

/** Snapshot ids. Only the list of models names them. */
export const snapshotChecks: readonly Check[] = [
  check('models.snapshots', 'listed snapshot ids of the single-speaker models are accepted', async (subject) => {
    const ids = (await models(subject)).map(({ id }) => String(id))
    const snapshots = ids.filter((id) => /-tts-.*-\d{4}-\d{2}-\d{2}$/.test(id))
    if (snapshots.length === 0) throw new NotSupported('GET /v1/models lists no snapshot of a single-speaker model')
    for (const model of snapshots) await accept(subject, 'speech', { model })
  }),
]
