// In a page: records in every type that the browser offers, whole and in pieces, and uploads each recording once for each
// route, with and without its type.
/* global MediaRecorder, navigator */
globalThis.recordAll = async ({ devices, types, routes }) => {
  // A small picture, so that an encoder without hardware has its first frame in time.
  const video = devices.video && { width: 160, height: 120, frameRate: 10 }
  const stream = await navigator.mediaDevices.getUserMedia({ ...devices, video })
  const least = devices.video ? 2000 : 500

  const record = async (mimeType, inPieces, milliseconds = least) => {
    const recorder = new MediaRecorder(stream, { mimeType })
    const pieces = []
    const stopped = new Promise((resolve) => {
      recorder.addEventListener('stop', resolve)
    })
    recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data))
    if (inPieces) recorder.start(200)
    else recorder.start()
    setTimeout(() => recorder.stop(), milliseconds)
    await stopped
    // On a busy machine, an encoder has no frame yet.
    if (pieces.every(({ size }) => size === 0)) return record(mimeType, inPieces, 2 * milliseconds)
    return new Blob(pieces, { type: recorder.mimeType })
  }

  const upload = async (file, route) => {
    const form = new FormData()
    form.set('file', file, 'recording')
    const response = await fetch(route, { method: 'POST', body: form })
    if (response.status !== 200 && response.status !== 415) throw new Error(await response.text())
    return response.ok
  }

  const results = []
  const run = async (type, inPieces) => {
    const file = await record(type, inPieces)
    for (const isDeclared of [true, false]) {
      const sent = isDeclared ? file : new Blob([file])
      const how = `${inPieces ? 'in pieces' : 'whole'}, ${isDeclared ? 'with' : 'without'} its type`
      results.push({ type, how, accepted: await Promise.all(routes.map((route) => upload(sent, route))) })
    }
  }

  const offered = types.filter((type) => MediaRecorder.isTypeSupported(type))
  // Encoders of video are slow.
  while (offered.length > 0) {
    const some = offered.splice(0, devices.video ? 2 : 6)
    await Promise.all(some.flatMap((type) => [run(type, false), run(type, true)]))
  }
  for (const track of stream.getTracks()) track.stop()
  return results
}
