import Dispatch
import Foundation

/// Makes the process kill itself later, wherever it is then.
func killThisProcess(afterMicroseconds microseconds: Int) {
    DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + .microseconds(microseconds)) {
        kill(getpid(), SIGKILL)
    }
}
