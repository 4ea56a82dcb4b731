// #region stored
import { Controller, Param, Sse } from '@nestjs/common'
import { AudioClient } from '@svc-audio/core'
import { DisconnectSignal } from '@svc-audio/nestjs'
import { defer, from, map, mergeMap } from 'rxjs'

/** Live transcripts of stored files. */
@Controller('files')
export class StoredFilesController {
  constructor(private readonly audio: AudioClient) {}

  @Sse(':id/transcript')
  transcript(@Param('id') file_id: string, @DisconnectSignal() signal: AbortSignal) {
    const body = { model: 'svc-transcribe-diarize-pro', file_id } as const
    return defer(() => this.audio.transcriptions.stream(body, { signal })).pipe(
      mergeMap((events) => from(events)),
      map((data) => ({ data })),
    )
  }
}
// #endregion
