package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"bed/internal/child"
	"bed/internal/credentials"
	"bed/internal/supervisor"
)

// clusterOptions are the flags of `bed cluster`.
type clusterOptions struct {
	dir               string
	port              int
	emulatedVersion   string
	runtimeConfig     string
	authorizationMode string
	featureGates      string
	noControllers     bool
	noScheduler       bool
	servingFor        time.Duration
	users             []string
	apiserver         []string
	scheduler         []string
	controllers       []string
}

// clusterReady is the line that tells that the cluster is ready.
type clusterReady struct {
	Dir         string                        `json:"dir"`
	Kubeconfig  string                        `json:"kubeconfig"`
	Server      string                        `json:"server"`
	Certificate string                        `json:"certificateAuthority"`
	Users       []credentials.User            `json:"users"`
	Processes   map[string]supervisor.Process `json:"processes"`
}

// clusterCommand starts a control plane on loopback and holds it until stdin closes.
func clusterCommand() *cobra.Command {
	var o clusterOptions
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Start etcd, kube-apiserver, kube-scheduler and kube-controller-manager; end them when stdin closes",
		Args:  cobra.NoArgs,
		Run:   func(*cobra.Command, []string) { supervisor.Run(o.run) },
	}
	fs := cmd.Flags()
	fs.StringVar(&o.dir, "dir", "", "work folder; what it holds already (keys, data) is used again. Default: a new one, removed at the end")
	fs.IntVar(&o.port, "port", 0, "the API server's port; 0 takes a free one")
	fs.StringVar(&o.emulatedVersion, "emulated-version", "", "minor version to behave like, as 1.36")
	fs.StringVar(&o.runtimeConfig, "runtime-config", "", "the API server's flag")
	fs.StringVar(&o.authorizationMode, "authorization-mode", "Node,RBAC", "the API server's flag; without v1 of resource.k8s.io the Node authorizer never gets ready")
	fs.StringVar(&o.featureGates, "feature-gates", "", "for all components")
	fs.BoolVar(&o.noControllers, "no-controllers", false, "no kube-controller-manager, and no service accounts for pods")
	fs.BoolVar(&o.noScheduler, "no-scheduler", false, "no kube-scheduler")
	fs.DurationVar(&o.servingFor, "serving-for", 365*24*time.Hour, "how long the serving certificate is good; negative: it has run out")
	fs.StringArrayVar(&o.users, "user", nil, "one more user, as NAME or NAME,GROUP,GROUP (there are admin and nobody)")
	fs.StringArrayVar(&o.apiserver, "apiserver-flag", nil, "one more flag of kube-apiserver")
	fs.StringArrayVar(&o.scheduler, "scheduler-flag", nil, "one more flag of kube-scheduler")
	fs.StringArrayVar(&o.controllers, "controller-manager-flag", nil, "one more flag of kube-controller-manager")
	return cmd
}

func (o clusterOptions) run(s *supervisor.Supervisor) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "bed-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		defer s.End() // before its folder goes
		o.dir = dir
	}
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return err
	}
	o.dir = dir
	if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o755); err != nil {
		return err
	}
	authority, users, err := o.credentials()
	if err != nil {
		return err
	}
	etcdPort, releaseEtcd, err := reservePort(0)
	if err != nil {
		return err
	}
	defer releaseEtcd()
	port, release, err := reservePort(o.port)
	if err != nil {
		return err
	}
	defer release()
	ready := clusterReady{
		Dir:         dir,
		Kubeconfig:  filepath.Join(dir, "kubeconfig"),
		Server:      fmt.Sprintf("https://127.0.0.1:%d", port),
		Certificate: authority.Certificate(),
		Users:       users,
	}
	if err := credentials.WriteKubeconfig(ready.Kubeconfig, ready.Server, authority, users[0]); err != nil {
		return err
	}
	client, err := clientOf(ready.Kubeconfig, o.servingFor < 0)
	if err != nil {
		return err
	}
	if err := s.Start(o.etcd(etcdPort)); err != nil {
		return err
	}
	if err := s.Start(o.kubeAPIServer(port, etcdPort, authority)); err != nil {
		return err
	}
	if err := s.Wait("kube-apiserver ready", time.Minute, func() bool { return serves(client) }); err != nil {
		return err
	}
	if !o.noScheduler {
		if err := s.Start(o.component("kube-scheduler", o.scheduler)); err != nil {
			return err
		}
	}
	if !o.noControllers {
		controllers := append([]string{
			"--service-account-private-key-file=" + authority.Path("service-account.key"),
			"--root-ca-file=" + authority.Certificate(),
		}, o.controllers...)
		if err := s.Start(o.component("kube-controller-manager", controllers)); err != nil {
			return err
		}
	}
	if err := s.Wait("the default service account", time.Minute, func() bool { return o.serviceAccount(client) }); err != nil {
		return err
	}
	ready.Processes = s.Processes()
	supervisor.Say(ready)
	return s.Obey(func(name string) error {
		if name == "etcd" || name == "kube-apiserver" {
			return s.Wait("kube-apiserver ready", time.Minute, func() bool { return serves(client) })
		}
		return nil
	})
}

// credentials makes the keys and the token file. The first user is the administrator.
func (o clusterOptions) credentials() (*credentials.Authority, []credentials.User, error) {
	authority, err := credentials.Open(filepath.Join(o.dir, "keys"))
	if err != nil {
		return nil, nil, err
	}
	if err := authority.Serving("server", o.servingFor); err != nil {
		return nil, nil, err
	}
	if _, err := authority.SigningKey(); err != nil {
		return nil, nil, err
	}
	var users []credentials.User
	for _, text := range append([]string{"admin,system:masters", "nobody"}, o.users...) {
		words := strings.Split(text, ",")
		user, err := authority.Client(words[0], words[1:], "")
		if err != nil {
			return nil, nil, err
		}
		users = append(users, user)
	}
	return authority, users, credentials.WriteTokens(filepath.Join(o.dir, "tokens.csv"), users)
}

func (o clusterOptions) spec(name string, args ...string) child.Spec {
	return child.Spec{Name: name, Args: append([]string{name}, args...), Dir: o.dir, Logs: filepath.Join(o.dir, "logs")}
}

func (o clusterOptions) etcd(port int) child.Spec {
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	return o.spec("etcd", "--data-dir=etcd", "--listen-client-urls="+url, "--advertise-client-urls="+url,
		"--listen-peer-urls=http://127.0.0.1:0", // alone: nobody asks for it
		"--socket-reuse-port", "--unsafe-no-fsync", "--log-level=warn", "--quota-backend-bytes=8589934592")
}

func (o clusterOptions) kubeAPIServer(port, etcdPort int, authority *credentials.Authority) child.Spec {
	args := []string{
		fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", etcdPort),
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--permit-port-sharing",
		"--cert-dir=" + filepath.Join(o.dir, "keys"),
		"--tls-cert-file=" + authority.Path("server.crt"), "--tls-private-key-file=" + authority.Path("server.key"),
		"--client-ca-file=" + authority.Certificate(),
		"--token-auth-file=" + filepath.Join(o.dir, "tokens.csv"),
		// Not the port's: a cluster that is started again on another port keeps its tokens.
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + authority.Path("service-account.key"),
		"--service-account-signing-key-file=" + authority.Path("service-account.key"),
		"--authorization-mode=" + o.authorizationMode,
		"--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true", "--profiling=false",
	}
	if o.noControllers {
		// Nobody makes the service accounts that this plugin wants for each pod.
		args = append(args, "--disable-admission-plugins=ServiceAccount")
	}
	if o.runtimeConfig != "" {
		args = append(args, "--runtime-config="+o.runtimeConfig)
	}
	return o.spec("kube-apiserver", append(append(args, o.version()...), o.apiserver...)...)
}

// component is the scheduler or the controller manager. They serve nothing: no port, no certificate.
func (o clusterOptions) component(name string, more []string) child.Spec {
	args := []string{"--kubeconfig=" + filepath.Join(o.dir, "kubeconfig"), "--leader-elect=false", "--secure-port=0"}
	return o.spec(name, append(append(args, o.version()...), more...)...)
}

func (o clusterOptions) version() []string {
	var args []string
	if o.emulatedVersion != "" {
		args = append(args, "--emulated-version=kube="+o.emulatedVersion)
	}
	if o.featureGates != "" {
		args = append(args, "--feature-gates="+o.featureGates)
	}
	return args
}

// serviceAccount sees that pods of the default namespace find their service account, and makes it where no controller does.
func (o clusterOptions) serviceAccount(client kubernetes.Interface) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	accounts := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault)
	if o.noControllers {
		_, err := accounts.Create(ctx, &v1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
		return err == nil || apierrors.IsAlreadyExists(err)
	}
	if _, err := accounts.Get(ctx, "default", metav1.GetOptions{}); err != nil {
		return false
	}
	_, err := client.CoreV1().ConfigMaps(metav1.NamespaceDefault).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
	return err == nil
}

func serves(client kubernetes.Interface) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	answer, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
	return err == nil && string(answer) == "ok"
}

// clientOf is a client of the cluster. Of a cluster whose serving certificate has run out on purpose it takes any certificate.
func clientOf(kubeconfig string, anyCertificate bool) (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	if anyCertificate {
		config.TLSClientConfig.CAData, config.TLSClientConfig.Insecure = nil, true
	}
	config.QPS, config.Burst = -1, 0
	return kubernetes.NewForConfig(config)
}

// reservePort takes a port on loopback (0: any free one) and holds it, without listening, until release is called. A component that
// binds it with SO_REUSEPORT gets it, also after it was ended and started again; nobody else does.
func reservePort(wanted int) (port int, release func(), err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, err
	}
	release = func() { _ = unix.Close(fd) } // it was never used: nothing can be lost
	err = errors.Join(
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1),
		unix.Bind(fd, &unix.SockaddrInet4{Port: wanted, Addr: [4]byte{127, 0, 0, 1}}),
	)
	if err == nil {
		var name unix.Sockaddr
		if name, err = unix.Getsockname(fd); err == nil {
			return name.(*unix.SockaddrInet4).Port, release, nil
		}
	}
	release()
	if errors.Is(err, syscall.EADDRINUSE) {
		return 0, nil, fmt.Errorf("port %d is taken: %w", wanted, err)
	}
	return 0, nil, err
}
