import Foundation
import RecordGenerator
import StrataTool

Interruption.handleSignals()
Interruption.exit(CommandLineTool.run(Array(CommandLine.arguments.dropFirst())))
