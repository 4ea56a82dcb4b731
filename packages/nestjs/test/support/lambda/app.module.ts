import { Controller, HttpCode, Module, Post, UseInterceptors } from '@nestjs/common'
import { AudioModule, TranscribeUploadInterceptor, Transcription } from '../../../src/index.ts'

@Controller()
class Routes {
  @Post('transcribe')
  @HttpCode(200)
  @UseInterceptors(TranscribeUploadInterceptor({ maxFileSize: 4_000_000 }))
  transcribe(@Transcription() { text }: Transcription): object {
    return { text }
  }
}

/** The app of the function. */
@Module({ imports: [AudioModule.forRoot()], controllers: [Routes] })
export class AppModule {}
